# Write cutpointr.csv: Rscript tests/reference/make_cutpointr.R
suppressMessages(library(cutpointr))
source(file.path("tests", "reference", "common.R"))

# Positive when x >= cutpoint, always: cutpointr chooses a direction of its own when none is given.
find <- function(set, column, ...) {
  frame <- data.frame(x = sets[[set]][[column]], y = sets[[set]]$y)
  suppressWarnings(cutpointr(frame, x = x, class = y, pos_class = 1, neg_class = 0, direction = ">=", silent = TRUE, ...))
}
# Quoted, since cutpointr names its columns after the arguments as they were written.
searches <- list(
  list(name = "youden", setting = "", method = quote(maximize_metric), metric = quote(youden)),
  list(name = "sum_sens_spec", setting = "", method = quote(maximize_metric), metric = quote(sum_sens_spec)),
  list(name = "accuracy", setting = "", method = quote(maximize_metric), metric = quote(accuracy)),
  list(name = "F1_score", setting = "", method = quote(maximize_metric), metric = quote(F1_score)),
  list(name = "roc01", setting = "", method = quote(minimize_metric), metric = quote(roc01)),
  list(name = "misclassification_cost", setting = "cost_fp=1;cost_fn=4", method = quote(minimize_metric), metric = quote(misclassification_cost), cost_fp = 1, cost_fn = 4),
  list(name = "misclassification_cost", setting = "cost_fp=3;cost_fn=1", method = quote(minimize_metric), metric = quote(misclassification_cost), cost_fp = 3, cost_fn = 1)
)
join <- function(...) paste(Filter(nzchar, c(...)), collapse = ";")

for (set in names(sets)) for (x in features(set)) {
  for (search in searches) for (midpoints in c(FALSE, TRUE)) {
    wanted <- c(list(set, x, use_midpoints = midpoints, break_ties = c), search[setdiff(names(search), c("name", "setting"))])
    found <- do.call(find, wanted)
    cuts <- unlist(found$optimal_cutpoint)
    values <- unlist(found[[search$name]])
    kind <- if (midpoints) "midpoint" else "cutpoint"
    for (i in seq_along(cuts)) note(set, x, "", paste0(search$name, "_", kind), join(search$setting, paste0("row=", i - 1)), cuts[i])
    if (!midpoints) note(set, x, "", paste0(search$name, "_value"), search$setting, values[1])
  }
  normal <- find(set, x, method = oc_youden_normal)
  note(set, x, "", "oc_youden_normal", "", normal$optimal_cutpoint)
}
save_table("cutpointr")
