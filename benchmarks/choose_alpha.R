# rpart: a full tree and ten-fold cross-validation over every alpha of its path, timed inside R.
arguments <- commandArgs(trailingOnly = TRUE)
table <- read.csv(arguments[1])
table$y <- factor(table$y)
suppressMessages(library(rpart))
times <- c()
for (i in seq_len(as.integer(arguments[2]))) {
  set.seed(i)
  limits <- rpart.control(cp = 0, minsplit = 2, minbucket = 1, maxcompete = 0, maxsurrogate = 0, xval = 10, maxdepth = 30)
  start <- proc.time()
  model <- rpart(y ~ ., table, method = "class", control = limits)
  best <- model$cptable[which.min(model$cptable[, "xerror"]), "CP"]
  pruned <- prune(model, best)
  times <- c(times, sum((proc.time() - start)[c("user.self", "sys.self")]))
}
cat(median(times), sum(pruned$frame$var == "<leaf>"), nrow(model$cptable), "\n")
