"""How good probabilities are: one function a metric, one file a family, each described in `METRICS`."""

from calibrant.metrics._log import LOG_LOSS, LOG_LOSS_BITS, log_loss, log_loss_bits
from calibrant.metrics._metric import Metric
from calibrant.metrics._squared import MSE, mse

__all__ = ["METRICS", "Metric", "log_loss", "log_loss_bits", "mse"]

METRICS: dict[str, Metric] = {metric.id: metric for metric in (MSE, LOG_LOSS, LOG_LOSS_BITS)}
