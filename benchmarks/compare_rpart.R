# Runs rpart on one of the random tables of compare_rpart.py, and writes all that can be compared.
suppressMessages(library(rpart))
options(digits = 17)

write_figures <- function(figures, file) write.csv(format(figures, digits = 17), file, row.names = FALSE)

run <- function(case, kinds, levels_of, method, parms, control, cost, weighted) {
  table <- read.csv(paste0(case, ".csv"), colClasses = "character", na.strings = "?")
  for (name in names(kinds)) {
    table[[name]] <- if (kinds[[name]] == "numeric") as.numeric(table[[name]])
      else factor(table[[name]], levels = levels_of[[name]], ordered = kinds[[name]] == "ordinal")
  }
  weight <- as.numeric(table$weight_)
  control$xval <- as.integer(table$fold_)
  table$weight_ <- table$fold_ <- NULL
  arguments <- list(formula = y ~ ., data = table, method = method, control = control)
  if (length(parms)) arguments$parms <- parms
  if (length(cost)) arguments$cost <- cost
  if (weighted) arguments$weights <- weight
  model <- do.call(rpart, arguments)

  nodes <- cbind(node = rownames(model$frame), model$frame[setdiff(names(model$frame), "yval2")])
  write_figures(nodes, paste0(case, "_nodes.csv"))
  write_figures(as.data.frame(model$cptable), paste0(case, "_cp.csv"))
  if (!is.null(model$splits)) {
    splits <- data.frame(var = rownames(model$splits), unclass(model$splits), row.names = NULL)
    write_figures(splits, paste0(case, "_splits.csv"))
  }
  if (!is.null(model$csplit))
    write.table(model$csplit, paste0(case, "_groups.csv"), row.names = FALSE, col.names = FALSE, sep = ",")
  importance <- model$variable.importance
  write_figures(data.frame(var = names(importance), value = as.numeric(importance)), paste0(case, "_importance.csv"))
}
