# Forests of randomForest and ranger on autompg with its nominal columns as numbers and nodes split to the end, so that they
# differ in nothing from ours. Writes records as forest_agreement.py reads them:
#
#     Rscript benchmarks/forest_agreement.R ORACLES FOLDER
#     python benchmarks/forest_agreement.py FOLDER            (FOLDER/data is ORACLES/data)
suppressMessages({library(randomForest); library(ranger)})
arguments <- commandArgs(TRUE)
cars <- read.csv(file.path(arguments[1], "data", "autompg.csv"), na.strings = "?")
cars <- cars[complete.cases(cars), ]
fold <- (seq_len(nrow(cars)) - 1) %% 10

fit <- list(
  randomForest = function(rows, seed) { set.seed(seed); randomForest(class ~ ., rows, ntree = 300, mtry = 2, nodesize = 1) },
  ranger = function(rows, seed) ranger(class ~ ., rows, num.trees = 300, mtry = 2, min.node.size = 1, seed = seed, num.threads = 1))
said <- list(randomForest = predict, ranger = function(model, rows) predict(model, rows)$predictions)
error <- list(randomForest = function(model) tail(model$mse, 1), ranger = function(model) model$prediction.error)

numbers <- function(x) sprintf('{"mean": %.8g, "sd": %.8g, "values": [%s]}', mean(x), sd(x), paste(sprintf("%.8g", x), collapse = ", "))
dir.create(file.path(arguments[2], "golden"), recursive = TRUE, showWarnings = FALSE)
file.symlink(normalizePath(file.path(arguments[1], "data")), file.path(arguments[2], "data"))
for (tool in names(fit)) {
  scores <- sapply(1:20, function(seed) {
    predicted <- numeric(nrow(cars))
    for (part in 0:9) predicted[fold == part] <- said[[tool]](fit[[tool]](cars[fold != part, ], seed), cars[fold == part, ])
    1 - sum((cars$class - predicted)^2) / sum((cars$class - mean(cars$class))^2)
  })
  errors <- sapply(1:20, function(seed) error[[tool]](fit[[tool]](cars, seed)))
  record <- sprintf(paste0('{"tool": "%s", "version": "%s", "dataset": "autompg", "score": "R2 over folds10 (pooled)", ',
    '"settings": {"trees": 300, "mtry": 2, "min_node_size": 1, "rows": "rows without missing values", "nominal": "numbers"}, ',
    '"cv10": %s, "oob": %s}'), tool, packageVersion(tool), numbers(scores), numbers(errors))
  writeLines(record, file.path(arguments[2], "golden", paste0("forest__", tool, "__autompg.json")))
}
