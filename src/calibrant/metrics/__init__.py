"""How good probabilities are: one function a metric, one file a family, each described in `METRICS`."""

from calibrant.metrics._accuracy import DELTA_ACCURACY, delta_accuracy
from calibrant.metrics._lift import AULC, aulc
from calibrant.metrics._log import AVLL, LOG_LOSS, LOG_LOSS_BITS, avll, log_loss, log_loss_bits
from calibrant.metrics._metric import Metric
from calibrant.metrics._squared import MSE, MSE01, mse, mse01

__all__ = ["METRICS", "Metric", "aulc", "avll", "delta_accuracy", "log_loss", "log_loss_bits", "mse", "mse01"]

METRICS: dict[str, Metric] = {
    metric.id: metric for metric in (MSE, MSE01, LOG_LOSS, LOG_LOSS_BITS, AVLL, AULC, DELTA_ACCURACY)
}
