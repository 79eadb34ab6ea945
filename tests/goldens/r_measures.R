# Measures of R's packages on the sets of metrics.json; see SOURCE.md. Rscript r_measures.R metrics.json > r_measures.json
suppressMessages({
  library(jsonlite); library(pROC); library(Hmisc); library(rms); library(vcd); library(ROCR)
  library(reliabilitydiag)
})

# Another ranking of the same rows, for the paired test, and a weight for each row; the tests make the same.
beside <- function(p) (p + c(p[-1], p[1])) / 2
weights_of <- function(p) seq_along(p) %% 3 + 1

delong <- function(y, p) {
  one <- roc(y, p, levels = c(0, 1), direction = "<", quiet = TRUE)
  other <- roc(y, beside(p), levels = c(0, 1), direction = "<", quiet = TRUE)
  test <- roc.test(one, other, method = "delong", paired = TRUE)
  points <- coords(one, "all", ret = c("threshold", "fpr", "tpr"), transpose = FALSE)
  list(
    auc = as.numeric(auc(one)), variance = var(one, method = "delong"), ci = as.numeric(ci.auc(one)),
    difference = unname(test$estimate[1] - test$estimate[2]), z = unname(test$statistic), p_value = test$p.value,
    difference_ci = as.numeric(test$conf.int), fpr = rev(points$fpr), tpr = rev(points$tpr),
    youden = max(points$tpr - points$fpr)
  )
}

lines_of_logits <- function(y, p) {
  tight <- glm.control(epsilon = 1e-14, maxit = 100)
  logit <- qlogis(p)
  shift <- glm(y ~ offset(logit), family = binomial, control = tight)
  weighted <- glm(y ~ logit, family = binomial, weights = weights_of(p), control = tight)
  joint <- glm(y ~ logit, family = binomial, control = tight)
  list(
    intercept = unname(coef(shift)), joint = unname(coef(joint)), weighted = unname(coef(weighted)),
    hosmer = unclass(performance::performance_hosmer(joint)), fitted = unname(fitted(joint))
  )
}

of_rocr <- function(y, p) {
  read <- prediction(p, y)
  value <- function(name, ...) performance(read, name, ...)@y.values[[1]]
  hull <- performance(read, "rch")
  envelope <- performance(read, "ecost")
  cost <- performance(read, "cost", cost.fp = 1, cost.fn = 5)
  along <- lapply(c(precision = "prec", recall = "rec", f1 = "f", mcc = "mat", lift = "lift", accuracy = "acc"), value)
  list(
    cal = mean(value("cal", window.size = 50)), mxe = value("mxe"), rmse = value("rmse"),
    hull = list(fpr = hull@x.values[[1]], tpr = hull@y.values[[1]]),
    envelope = list(x = envelope@x.values[[1]], cost = envelope@y.values[[1]]),
    expected_cost = cost@y.values[[1]], threshold = cost@x.values[[1]], along = along
  )
}

corp <- function(y, p) {
  diagram <- as.reliabilitydiag(p, y = y, region.level = NA)
  bernoulli <- function(y, x) ifelse(y == 1, -log(x), -log1p(-x))
  bins <- diagram[[1]]$bins
  list(
    brier = as.list(decomposition(diagram)[1, -1]), log_loss = as.list(decomposition(diagram, score = bernoulli)[1, -1]),
    low = bins$x_min, high = bins$x_max, observed = bins$CEP_pav, n = bins$n
  )
}

one_set <- function(found) {
  y <- as.numeric(found$y); p <- found$proba
  validated <- as.list(val.prob(p, y, pl = FALSE))
  list(
    pROC = delong(y, p),
    Hmisc = list(somers2 = as.list(somers2(p, y)[1:2]), weighted = as.list(somers2(p, y, weights = weights_of(p))[1:2]),
                 rcorr = as.list(rcorr.cens(p, y)[c("C Index", "Dxy")])),
    rms = validated[c("Dxy", "C (ROC)", "Brier", "Intercept", "Slope", "Emax", "E90", "Eavg", "S:z", "S:p")],
    glm = lines_of_logits(y, p), ROCR = of_rocr(y, p), reliabilitydiag = corp(y, p)
  )
}

# Three classes: shares of powers, and the class of each row by a rule that tells them apart in part.
three_classes <- function() {
  i <- 1:150
  raw <- cbind(a = 1 + (i * 7) %% 11, b = 1 + (i * 5) %% 13, c = 1 + (i * 3) %% 17)
  proba <- raw / rowSums(raw)
  label <- c("a", "b", "c")[ifelse(i %% 4 == 0, 1 + i %% 3, max.col(raw, ties.method = "first"))]
  areas <- multiclass.roc(factor(label), proba, quiet = TRUE)
  table <- table(factor(label, c("a", "b", "c")), factor(c("a", "b", "c")[max.col(proba, "first")], c("a", "b", "c")))
  agreed <- Kappa(table)
  quadratic <- Kappa(table, weights = "Fleiss-Cohen")
  list(
    label = label, proba = proba, auc = as.numeric(areas$auc),
    kappa = unname(agreed$Unweighted["value"]), linear = unname(agreed$Weighted["value"]),
    quadratic = unname(quadratic$Weighted["value"]), error_of_kappa = unname(agreed$Unweighted["ASE"])
  )
}

# 4,000 rows at each of five probabilities: the deterministic consistency region, and the one by resampling.
regions <- function() {
  set.seed(1)
  p <- rep(c(0.1, 0.3, 0.5, 0.7, 0.9), each = 4000)
  y <- rbinom(length(p), 1, p)
  asymptotic <- as.reliabilitydiag(p, y = y, region.level = 0.9, region.method = "discrete_asymptotics")[[1]]$regions
  q <- (1:100 - 0.5) / 100
  resampled <- as.reliabilitydiag(q, y = rbinom(100, 1, q), region.level = 0.9, region.method = "resampling", n.boot = 2000)
  list(
    asymptotic = asymptotic[c("x", "lower", "upper", "n")],
    resampled = resampled[[1]]$regions[c("x", "lower", "upper")]
  )
}

options(warn = 1)
packages <- c("pROC", "Hmisc", "rms", "ROCR", "vcd", "performance", "reliabilitydiag")
found <- lapply(fromJSON(commandArgs(TRUE)[1], simplifyDataFrame = FALSE), one_set)
versions <- sapply(packages, function(name) as.character(packageVersion(name)), simplify = FALSE)
cat(toJSON(list(
  versions = c(list(R = as.character(getRversion())), versions), sets = found, three = three_classes(), regions = regions()
), digits = I(17), auto_unbox = TRUE, dataframe = "columns"))
cat("\n")
