import json

import numpy as np

from calibrant.calibration import Chain, Platt, PriorShift, calibrator_from_dict

SCORES, Y = np.array([0.2, 0.3, 0.4, 0.6, 0.7, 0.9]), np.array([0, 1, 0, 0, 1, 1])


def test_the_second_maps_the_probabilities_of_the_first():
    chain = Chain(PriorShift(train_prior=0.5, new_prior=0.1), Platt()).fit(SCORES, Y)
    first = PriorShift(train_prior=0.5, new_prior=0.1).fit(SCORES, Y).predict(SCORES)
    np.testing.assert_array_equal(chain.predict(SCORES), Platt().fit(first, Y).predict(first))


def test_what_json_holds_gives_the_same_probabilities():
    proba = np.random.default_rng(0).dirichlet([1, 1, 1], 30)
    chain = Chain(PriorShift(), Platt(on="score")).fit(proba, np.arange(30) % 3)
    read = calibrator_from_dict(json.loads(json.dumps(chain.to_dict())))
    np.testing.assert_array_equal(read.predict(proba), chain.predict(proba))
