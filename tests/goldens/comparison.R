# Makes comparison_R.json from comparison_cases.json: Rscript comparison.R, in this folder. Base R and jsonlite.
library(jsonlite)
cases <- fromJSON("comparison_cases.json")
scores <- as.matrix(as.data.frame(cases$datasets, check.names = FALSE))
a <- cases$trials$a; b <- cases$trials$b; x <- cases$sizes$a; y <- cases$sizes$b
figures <- function(test, ...) c(list(pvalue = test$p.value, statistic = unname(test$statistic)), list(...))
limits <- function(test) list(low = test$conf.int[1], high = test$conf.int[2])
paired <- t.test(a, b, paired = TRUE); welch <- t.test(x, y)
signed <- wilcox.test(a, b, paired = TRUE, exact = TRUE, conf.int = TRUE)
wins <- binom.test(sum(a > b), length(a))
friedman <- friedman.test(scores)
table <- matrix(cases$rows, 2, byrow = TRUE)
n <- nrow(scores); k <- ncol(scores)
ranks <- colMeans(t(apply(-scores, 1, rank)))
error <- sqrt(k * (k + 1) / (6 * n))
gaps <- outer(ranks, ranks, function(p, q) abs(p - q))
out <- list(
  version = R.version.string,
  paired = c(figures(paired, df = unname(paired$parameter)), limits(paired)),
  welch = c(figures(welch, df = unname(welch$parameter)), limits(welch)),
  conservative = list(pvalue = 2 * pt(-abs(unname(welch$statistic)), min(length(x), length(y)) - 1)),
  wilcoxon = c(figures(signed, difference = unname(signed$estimate)), limits(signed)),
  wilcoxon_100 = {
    d <- (1:100 - 40.25) * (1 + sqrt(1:100) / 10)
    big <- wilcox.test(d, exact = TRUE, conf.int = TRUE)
    c(figures(big, difference = unname(big$estimate)), limits(big))
  },
  sign = list(pvalue = wins$p.value, statistic = sum(a > b)),
  friedman = figures(friedman, df = unname(friedman$parameter)),
  mean_ranks = as.list(ranks),
  nemenyi = list(critical_difference = qtukey(.95, k, Inf) / sqrt(2) * error,
                 pvalues = matrix(ptukey(sqrt(2) * gaps / error, k, Inf, lower.tail = FALSE), k)),
  bonferroni_dunn = list(critical_difference_90 = qnorm(1 - .1 / (2 * (k - 1))) * error),
  holm = p.adjust(cases$pvalues, "holm"),
  mcnemar_chi2 = figures(mcnemar.test(table, correct = FALSE)),
  mcnemar_corrected = figures(mcnemar.test(table, correct = TRUE)),
  mcnemar_exact = list(pvalue = binom.test(table[1, 2], table[1, 2] + table[2, 1])$p.value),
  clopper_pearson = as.list(binom.test(7, 20, conf.level = .9)$conf.int),
  wilson = as.list(prop.test(7, 20, conf.level = .9, correct = FALSE)$conf.int),
  jeffreys = as.list(qbeta(c(.05, .95), 7.5, 13.5))
)
write(toJSON(out, digits = 15, auto_unbox = TRUE, pretty = TRUE), "comparison_R.json")
