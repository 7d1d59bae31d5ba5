# Write proc.csv: Rscript tests/reference/make_proc.R
suppressMessages(library(pROC))
options(pROCProgress = list(name = "none"))
source(file.path("tests", "reference", "common.R"))

# pROC turns a curve that lies below 1/2 unless the direction is given, so it is given everywhere.
curve <- function(set, column, ...) {
  roc(sets[[set]]$y, sets[[set]][[column]], levels = c(0, 1), direction = "<", quiet = TRUE, ...)
}
every_feature <- function(work) for (set in names(sets)) for (x in features(set)) work(set, x, curve(set, x))

# ---- one curve
bands <- list(
  list(name = "fpr", low = 0, high = 0.2, focus = "specificity", band = c(1, 0.8)),
  list(name = "fpr", low = 0.1, high = 0.4, focus = "specificity", band = c(0.9, 0.6)),
  list(name = "tpr", low = 0.8, high = 1, focus = "sensitivity", band = c(1, 0.8))
)
every_feature(function(set, x, r) {
  note(set, x, "", "auc", "", as.numeric(auc(r)))
  note(set, x, "", "var_delong", "", suppressWarnings(var(r, method = "delong")))
  for (level in c(0.9, 0.95)) {
    ends <- suppressWarnings(ci.auc(r, method = "delong", conf.level = level))
    note(set, x, "", "ci_low", paste0("level=", level), ends[1])
    note(set, x, "", "ci_high", paste0("level=", level), ends[3])
  }
  for (b in bands) {
    area <- function(correct) {
      suppressWarnings(as.numeric(auc(r, partial.auc = b$band, partial.auc.focus = b$focus, partial.auc.correct = correct)))
    }
    setting <- sprintf("low=%g;high=%g", b$low, b$high)
    note(set, x, "", paste0("partial_auc_", b$name), setting, area(FALSE))
    note(set, x, "", paste0("partial_auc_", b$name, "_corrected"), setting, area(TRUE))
  }
  for (method in c("youden", "closest.topleft")) for (weights in list(c(1, 0.5), c(2, 0.3), c(1, 0.1), c(5, 0.2))) {
    best <- coords(r, "best", best.method = method, best.weights = weights, ret = c("threshold", "specificity", "sensitivity"), transpose = FALSE)
    for (i in seq_len(nrow(best))) {
      setting <- sprintf("cost=%g;prevalence=%g;row=%d", weights[1], weights[2], i - 1)
      for (column in names(best)) note(set, x, "", paste0("best_", sub("closest.topleft", "topleft", method), "_", column), setting, best[i, column])
    }
  }
})
for (where in list(c("six_seven", "x1"), c("three_level", "x1"), c("separated", "x1"))) {
  points <- coords(curve(where[1], where[2]), "all", ret = c("threshold", "specificity", "sensitivity"), transpose = FALSE)
  for (i in seq_len(nrow(points))) for (column in names(points)) note(where[1], where[2], "", paste0("all_", column), paste0("row=", i - 1), points[i, column])
}
for (x in features("correlated")) for (specificity in c(0.8, 0.9)) {
  found <- coords(curve("correlated", x), specificity, input = "specificity", ret = "sensitivity", transpose = FALSE)
  note("correlated", x, "", "tpr_at_fpr", sprintf("fpr=%g", 1 - specificity), max(found$sensitivity))
}
irises <- read.csv(file.path("data", "iris.csv"))
for (column in names(irises)[1:4]) {
  many <- multiclass.roc(irises$species, irises[[column]], levels = c("setosa", "versicolor", "virginica"), direction = "<", quiet = TRUE)
  note("iris", column, "", "hand_till", "", as.numeric(many$auc))
}

# ---- two curves
paired <- function(set, x1, x2) {
  a <- curve(set, x1)
  b <- curve(set, x2)
  test <- function(alternative, level = 0.95) {
    suppressWarnings(roc.test(a, b, method = "delong", paired = TRUE, alternative = alternative, conf.level = level))
  }
  both <- test("two.sided")
  note(set, x1, x2, "cov_delong", "", suppressWarnings(cov(a, b, method = "delong")))
  note(set, x1, x2, "paired_z", "", both$statistic)
  note(set, x1, x2, "paired_p", "", both$p.value)
  for (alternative in c("greater", "less")) note(set, x1, x2, paste0("paired_p_", alternative), "", test(alternative)$p.value)
  for (level in c(0.9, 0.95)) {
    ends <- test("two.sided", level)$conf.int
    note(set, x1, x2, "paired_low", paste0("level=", level), ends[1])
    note(set, x1, x2, "paired_high", paste0("level=", level), ends[2])
  }
}
for (set in names(sets)) if (length(features(set)) > 1) for (pair in combn(features(set), 2, simplify = FALSE)) paired(set, pair[1], pair[2])

unpaired <- list(
  c("correlated", "x1", "unequal", "x2"), c("skewed", "x1", "six_seven", "x2"), c("five_level", "x1", "three_level", "x1"),
  c("pima", "glucose", "iris", "sepal_width"), c("iris", "petal_width", "pima", "mass")
)
for (pair in unpaired) {
  a <- curve(pair[1], pair[2])
  b <- curve(pair[3], pair[4])
  test <- function(alternative) suppressWarnings(roc.test(a, b, method = "delong", paired = FALSE, alternative = alternative))
  both <- test("two.sided")
  about <- function(quantity, value) note(pair[1], pair[2], paste(pair[3], pair[4], sep = "."), quantity, "", value)
  about("unpaired_statistic", both$statistic)
  about("unpaired_df", both$parameter)
  about("unpaired_p_t", both$p.value)
  for (alternative in c("greater", "less")) about(paste0("unpaired_p_t_", alternative), test(alternative)$p.value)
}

# ---- planning
plan <- function(quantity, setting, value) note("none", "", "", quantity, setting, value)
for (value in c(0.6, 0.7, 0.8, 0.9)) for (power in c(0.8, 0.9)) for (kappa in c(1, 2)) {
  found <- power.roc.test(auc = value, sig.level = 0.05, power = power, kappa = kappa)
  setting <- sprintf("auc=%g;power=%g;kappa=%g", value, power, kappa)
  plan("one_curve_positives", setting, found$ncases)
  plan("one_curve_negatives", setting, found$ncontrols)
}
found <- power.roc.test(auc = 0.7, sig.level = 0.05, ncases = 40, ncontrols = 60)
plan("one_curve_power", "auc=0.7;positives=40;negatives=60", found$power)
for (pair in list(c("x1", "x2"), c("x1", "x3"))) for (method in c("delong", "obuchowski")) {
  found <- power.roc.test(curve("correlated", pair[1]), curve("correlated", pair[2]), sig.level = 0.05, power = 0.9, method = method)
  note("correlated", pair[1], pair[2], paste0("two_curves_positives_", method), "power=0.9", found$ncases)
  note("correlated", pair[1], pair[2], paste0("two_curves_negatives_", method), "power=0.9", found$ncontrols)
}
binormal <- list(A1 = 2.6, B1 = 1, A2 = 1.9, B2 = 1, rn = 0.6, ra = 0.6, FPR11 = 0, FPR12 = 0.2, FPR21 = 0, FPR22 = 0.2, delta = 0.037)
setting <- "A1=2.6;B1=1;A2=1.9;B2=1;rn=0.6;ra=0.6;low=0;high=0.2;delta=0.037;power=0.9"
plan("two_curves_parameters_positives", setting, power.roc.test(binormal, sig.level = 0.05, power = 0.9)$ncases)
whole <- binormal
whole[c("FPR11", "FPR12", "FPR21", "FPR22")] <- NULL
setting <- "A1=2.6;B1=1;A2=1.9;B2=1;rn=0.6;ra=0.6;delta=0.037;power=0.9"
plan("two_curves_parameters_positives", setting, power.roc.test(whole, sig.level = 0.05, power = 0.9)$ncases)

# ---- by chance: 40 batches of 250 resamples, whose scatter is the Monte Carlo error
BATCHES <- 40
EACH <- 250
by_chance <- function(seed, one) {
  set.seed(seed)
  found <- replicate(BATCHES, one())
  list(value = mean(found), mc_error = stats::sd(found) / sqrt(BATCHES))
}
note_sd <- function(data, x1, x2, quantity, setting, variance) {
  note(data, x1, x2, quantity, setting, sqrt(variance$value), variance$mc_error / (2 * sqrt(variance$value)))
}
seed <- 100
for (where in list(c("correlated", "x1"), c("correlated", "x2"), c("skewed", "x1"), c("five_level", "x1"))) {
  seed <- seed + 1
  whole <- by_chance(seed, function() var(curve(where[1], where[2]), method = "bootstrap", boot.n = EACH))
  note_sd(where[1], where[2], "", "boot_sd_auc", "", whole)
  for (b in bands) {
    r <- curve(where[1], where[2], partial.auc = b$band, partial.auc.focus = b$focus)
    note_sd(where[1], where[2], "", paste0("boot_sd_partial_", b$name), sprintf("low=%g;high=%g", b$low, b$high), by_chance(seed, function() var(r, method = "bootstrap", boot.n = EACH)))
  }
}
# The statistic of pROC's bootstrap tests is the difference over the SD of its resamples.
note_test <- function(set, pair, quantity, setting, gap, one) {
  spread <- by_chance(seed, function() (gap / one()$statistic)^2)
  sd <- sqrt(spread$value)
  sd_error <- spread$mc_error / (2 * sd)
  z <- gap / sd
  note(set, pair[1], pair[2], paste0(quantity, "_difference"), setting, gap)
  note(set, pair[1], pair[2], paste0(quantity, "_sd"), setting, sd, sd_error)
  note(set, pair[1], pair[2], paste0(quantity, "_p"), setting, 2 * pnorm(-abs(z)), 2 * dnorm(z) * abs(z) * sd_error / sd)
}
for (pair in list(c("x1", "x2"), c("x1", "x3"), c("x3", "x2"))) {
  seed <- seed + 1
  a <- curve("correlated", pair[1])
  b <- curve("correlated", pair[2])
  note_test("correlated", pair, "boot_test", "", as.numeric(a$auc) - as.numeric(b$auc), function() roc.test(a, b, method = "bootstrap", paired = TRUE, boot.n = EACH))
  p <- curve("correlated", pair[1], partial.auc = c(1, 0.8))
  q <- curve("correlated", pair[2], partial.auc = c(1, 0.8))
  note_test("correlated", pair, "boot_test_partial", "low=0;high=0.2", as.numeric(p$auc) - as.numeric(q$auc), function() roc.test(p, q, method = "bootstrap", paired = TRUE, boot.n = EACH))
  at <- function(r) max(coords(r, 0.9, input = "specificity", ret = "sensitivity", transpose = FALSE)$sensitivity)
  note_test("correlated", pair, "boot_test_tpr", "fpr=0.1", at(a) - at(b), function() roc.test(a, b, method = "specificity", specificity = 0.9, paired = TRUE, boot.n = EACH))
}
for (x in features("correlated")) {
  r <- curve("correlated", x)
  for (band in list(list("ci_tpr_at_fpr", function() ci.se(r, specificities = c(0.8, 0.9), boot.n = 1000)), list("ci_tnr_at_tpr", function() ci.sp(r, sensitivities = c(0.8, 0.9), boot.n = 1000)))) {
    seed <- seed + 1
    set.seed(seed)
    found <- replicate(10, unclass(band[[2]]())[, c(1, 3)])
    middle <- apply(found, 1:2, mean)
    error <- apply(found, 1:2, stats::sd) / sqrt(10)
    for (i in 1:2) for (j in 1:2) {
      setting <- if (band[[1]] == "ci_tpr_at_fpr") sprintf("fpr=%g;level=0.95", c(0.2, 0.1)[i]) else sprintf("tpr=%g;level=0.95", c(0.8, 0.9)[i])
      note("correlated", x, "", paste0(band[[1]], c("_low", "_high")[j]), setting, middle[i, j], error[i, j])
    }
  }
}
PERMUTATIONS <- 10000
venkatraman <- function(set1, x1, set2, x2, is_paired) {
  seed <<- seed + 1
  set.seed(seed)
  found <- suppressWarnings(roc.test(curve(set1, x1), curve(set2, x2), method = "venkatraman", paired = is_paired, boot.n = PERMUTATIONS))
  kind <- if (is_paired) "venkatraman_paired" else "venkatraman_unpaired"
  other <- if (is_paired) x2 else paste(set2, x2, sep = ".")
  p <- found$p.value
  note(set1, x1, other, paste0(kind, "_statistic"), "", found$statistic)
  note(set1, x1, other, paste0(kind, "_p"), "", p, sqrt(max(p * (1 - p), 1 / PERMUTATIONS) / PERMUTATIONS))
}
for (pair in list(c("x1", "x2"), c("x1", "x3"), c("x3", "x2"))) venkatraman("correlated", pair[1], "correlated", pair[2], TRUE)
venkatraman("six_seven", "x1", "six_seven", "x2", TRUE)
venkatraman("skewed", "x1", "skewed", "x2", TRUE)
venkatraman("correlated", "x1", "skewed", "x1", FALSE)
venkatraman("correlated", "x2", "unequal", "x2", FALSE)
save_table("proc")
