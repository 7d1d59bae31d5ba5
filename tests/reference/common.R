# What make_proc.R and make_cutpointr.R share. Run both from the top of the repository.
here <- file.path("tests", "reference")

# The text of a number: 17 significant digits, which every reader turns back into the same double.
digits <- function(value) ifelse(is.nan(value) | is.na(value), "nan", ifelse(is.infinite(value), ifelse(value > 0, "inf", "-inf"), sprintf("%.17g", value)))

# Read a small sample, and stop if R reads other doubles than those that were written.
small <- function(name) {
  file <- file.path(here, "data", paste0(name, ".csv"))
  text <- read.csv(file, colClasses = "character")
  set <- as.list(read.csv(file, colClasses = "numeric"))
  for (column in names(set)) stopifnot(identical(sprintf("%.17g", set[[column]]), text[[column]]))
  set
}

shipped <- function(file, label, classes, columns) {
  rows <- read.csv(file.path("data", file))
  rows <- rows[rows[[label]] %in% classes, ]
  c(list(y = match(rows[[label]], classes) - 1), lapply(as.list(rows[columns]), as.numeric))
}

small_names <- c("three_level", "five_level", "six_seven", "unequal", "separated", "reversed", "correlated", "skewed", "weighted")
sets <- c(
  list(
    iris = shipped("iris.csv", "species", c("versicolor", "virginica"), c("sepal_length", "sepal_width", "petal_length", "petal_width")),
    pima = shipped("pima.csv", "diabetes", c("neg", "pos"), c("glucose", "mass", "age", "pedigree", "insulin", "pressure"))
  ),
  sapply(small_names, small, simplify = FALSE)
)
features <- function(set) setdiff(names(sets[[set]]), c("y", "w"))

# The table is one growing text, a row a number.
rows <- new.env()
rows$text <- "data,x1,x2,quantity,setting,value,mc_error"
note <- function(data, x1, x2, quantity, setting, value, mc_error = NULL) {
  error <- if (is.null(mc_error)) "" else sprintf("%.4g", mc_error)
  rows$text <- c(rows$text, paste(data, x1, x2, quantity, setting, digits(unname(value)), error, sep = ","))
}
save_table <- function(name) writeLines(rows$text, file.path(here, paste0(name, ".csv")))
