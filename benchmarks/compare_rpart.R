# Runs rpart on one of the random tables of compare_rpart.py, and writes all that can be compared.
suppressMessages(library(rpart))
options(digits = 17)

write_figures <- function(figures, file) write.csv(format(figures, digits = 17), file, row.names = FALSE)

read_rows <- function(file, kinds, levels_of) {
  rows <- read.csv(file, colClasses = "character", na.strings = "?")
  for (name in intersect(names(kinds), names(rows))) {
    rows[[name]] <- if (kinds[[name]] == "numeric") as.numeric(rows[[name]])
      else factor(rows[[name]], levels = levels_of[[name]], ordered = kinds[[name]] == "ordinal")
  }
  rows
}

run <- function(case, kinds, levels_of, method, parms, control, cost, weighted) {
  table <- read_rows(paste0(case, ".csv"), kinds, levels_of)
  weight <- as.numeric(table$weight_)
  control$xval <- as.integer(as.numeric(table$fold_))
  if (!is.null(table$time_)) table$y <- cbind(as.numeric(table$time_), table$y)
  table$weight_ <- table$fold_ <- table$time_ <- NULL
  arguments <- list(formula = y ~ ., data = table, method = method, control = control)
  if (length(parms)) arguments$parms <- parms
  if (length(cost)) arguments$cost <- cost
  if (weighted) arguments$weights <- weight
  model <- do.call(rpart, arguments)
  if (!length(model$where)) stop("no row has a value")

  nodes <- cbind(node = rownames(model$frame), model$frame[setdiff(names(model$frame), "yval2")])
  write_figures(as.data.frame(model$cptable), paste0(case, "_cp.csv"))
  if (!is.null(model$splits)) {
    splits <- data.frame(var = rownames(model$splits), unclass(model$splits), row.names = NULL)
    write_figures(splits, paste0(case, "_splits.csv"))
  }
  if (!is.null(model$csplit))
    write.table(model$csplit, paste0(case, "_groups.csv"), row.names = FALSE, col.names = FALSE, sep = ",")
  importance <- model$variable.importance
  write_figures(data.frame(var = names(importance), value = as.numeric(importance)), paste0(case, "_importance.csv"))

  features <- setdiff(names(kinds), "y")
  rows <- rbind(table[features], read_rows(paste0(case, "_fresh.csv"), kinds, levels_of)[features])
  said <- predict(model, rows, type = if (method == "class") "class" else "vector", na.action = na.pass)
  predictions <- data.frame(says = if (method == "class") as.character(said) else as.numeric(said))
  if (method == "class") {
    shares <- predict(model, rows, type = "prob", na.action = na.pass)
    predictions <- data.frame(predictions, matrix(shares, nrow = nrow(rows)))
  }
  write_figures(predictions, paste0(case, "_predictions.csv"))
  write_figures(nodes, paste0(case, "_nodes.csv"))  # the last: all else is there
}
