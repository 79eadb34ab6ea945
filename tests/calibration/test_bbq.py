from math import exp, lgamma

import numpy as np
import pytest

from calibrant.calibration import BBQ


def by_the_paper(scores, y, requested):
    """Compute equations 4 to 7 of the paper with loops, for probabilities without ties."""
    order = np.argsort(scores)
    s, y, n = scores[order], y[order], len(scores)
    models = []
    for size in range(max(1, int(n ** (1 / 3) / 10)), int(np.ceil(10 * n ** (1 / 3))) + 1):
        ends = sorted({int(np.ceil(k * n / size - 1e-9)) for k in range(1, size + 1)})
        edges = [0.0, *((s[end - 1] + s[end]) / 2 for end in ends[:-1]), 1.0]
        if edges in [model[0] for model in models]:
            continue
        log_evidence, probability = 0.0, None
        for b, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            prior, middle = 2 / len(ends), (edges[b] + edges[b + 1]) / 2
            alpha, beta, m, rows = prior * middle, prior * (1 - middle), int(y[begin:end].sum()), end - begin
            log_evidence += lgamma(prior) - lgamma(rows + prior) + lgamma(m + alpha) - lgamma(alpha)
            log_evidence += lgamma(rows - m + beta) - lgamma(beta)
            if edges[b] <= requested < edges[b + 1]:
                probability = (m + alpha) / (rows + prior)
        models.append((edges, log_evidence, probability))
    top = max(model[1] for model in models)
    shares = [exp(model[1] - top) for model in models]
    return sum(share * model[2] for share, model in zip(shares, models, strict=True)) / sum(shares)


@pytest.mark.parametrize("seed", range(4))
def test_answers_are_those_of_the_papers_formulas(seed):
    random = np.random.default_rng(seed)
    scores = random.random(80)
    y = random.random(80) < scores**2
    requested = np.linspace(0.02, 0.98, 13)
    expected = [by_the_paper(scores, y, each) for each in requested]
    np.testing.assert_allclose(BBQ().fit(scores, y).predict(requested), expected, rtol=1e-9)


def test_rows_of_equal_scores_are_in_one_bin():
    scores = np.repeat([0.1, 0.4, 0.9], [50, 30, 20])
    found = BBQ().fit(scores, np.arange(100) % 3 == 0)
    np.testing.assert_array_equal(np.sort(found.n_bins_), [1, 2, 3])
    np.testing.assert_allclose(found.cuts_, [0.25, 0.65])


def test_evidence_prefers_few_bins_where_the_scores_are_uninformative():
    random = np.random.default_rng(0)
    found = BBQ().fit(random.random(2000), random.random(2000) < 0.3)
    assert found.evidence_ @ found.n_bins_ < 3
    assert found.evidence_.sum() == pytest.approx(1)


def test_margins_are_binned_as_probabilities_of_the_same_order_and_spacing_are():
    random = np.random.default_rng(1)
    p = random.random(300)
    p[[0, 1]] = 0, 1
    y = random.random(300) < p
    np.testing.assert_allclose(BBQ().fit(8 * p - 4, y).predict(8 * p - 4), BBQ().fit(p, y).predict(p), rtol=1e-9)


def test_neighbouring_numbers_are_distinguished():
    scores = np.array([0.5, np.nextafter(0.5, 1)])
    found = BBQ().fit(np.tile(scores, 50), np.tile([0, 1], 50)).predict(scores)
    assert found[0] < 0.1 < 0.9 < found[1]
