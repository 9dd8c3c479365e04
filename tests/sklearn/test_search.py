"""SelectionCV, as a user of scikit-learn meets it."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.datasets import load_iris, make_regression
from sklearn.decomposition import PCA
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, ParameterSampler, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from tests.long import times
from varde.sklearn import SelectionCV
from varde.sklearn.search import named_candidates

DEPTHS = {"max_depth": [1, 2, 3, 5]}


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def fitted(iris):
    return SelectionCV(DecisionTreeClassifier(random_state=0), DEPTHS, budget=40).fit(*iris)


def test_the_worst_candidate_gets_the_fewest_fits_and_is_rejected(fitted):
    fits = fitted.cv_results_["n_fits"]
    assert fits.sum() == 40 and fits[0] == fits.min()
    assert fitted.cv_results_["verdict"][0] == "rejected"


def test_the_best_candidate_is_fitted_on_all_data(fitted, iris):
    X, y = iris
    again = DecisionTreeClassifier(random_state=0, **fitted.best_params_).fit(X, y)
    assert (fitted.predict(X) == again.predict(X)).all() and fitted.score(X, y) == again.score(X, y)
    assert fitted.classes_.tolist() == [0, 1, 2] and fitted.n_features_in_ == 4


def test_results_are_those_of_grid_search_and_how_sure_they_are(fitted):
    theirs = set(GridSearchCV(DecisionTreeClassifier(), DEPTHS, cv=2).fit(*load_iris(return_X_y=True)).cv_results_)
    assert theirs - set(fitted.cv_results_) <= {"split0_test_score", "split1_test_score"}
    assert fitted.cv_results_["p_best"].sum() == pytest.approx(1.0)
    assert fitted.cv_results_["params"][fitted.best_index_] == fitted.best_params_


def test_scores_are_those_of_cross_validation(iris):
    """On the same split every candidate is trained on the same rows."""
    cv = KFold(5, shuffle=True, random_state=3)
    search = SelectionCV(DecisionTreeClassifier(random_state=0), DEPTHS, cv=cv, budget=1000).fit(*iris)
    expected = cross_val_score(DecisionTreeClassifier(random_state=0, **search.best_params_), *iris, cv=cv)
    found = [search.cv_results_[f"split{i}_test_score"][search.best_index_] for i in range(5)]
    assert np.allclose(
        [x for x in found if not np.isnan(x)], [e for e, x in zip(expected, found, strict=True) if not np.isnan(x)]
    )


def test_all_splits_of_a_splitter_settle_it(iris):
    """As grid search does it, with as many fits; then nothing is left to chance."""
    cv = KFold(5, shuffle=True, random_state=3)
    ours = SelectionCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}, cv=cv, budget=1000).fit(*iris)
    theirs = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}, cv=cv).fit(*iris)
    assert ours.best_params_ == theirs.best_params_ and ours.selection_.spent <= 10


def test_processes_give_the_same_answer(iris, fitted):
    again = SelectionCV(DecisionTreeClassifier(random_state=0), DEPTHS, budget=40, n_jobs=2).fit(*iris)
    assert again.selection_.spent == 40 and again.best_params_ in fitted.cv_results_["params"]


def test_candidates_with_similar_parameters_need_fewer_fits_than_there_are_candidates(iris):
    grid = {"max_depth": list(range(1, 13)), "min_samples_leaf": [1, 2, 4, 8]}
    search = SelectionCV(DecisionTreeClassifier(random_state=0), grid, budget=30, alike=True).fit(*iris)
    assert search.cv_results_["n_fits"].sum() == 30 and np.isfinite(search.best_score_)
    assert search.best_params_["max_depth"] > 1 and search.selection_.alike is not None


def test_the_same_seed_gives_the_same_fits(iris, fitted):
    again = clone(fitted).fit(*iris)
    assert np.array_equal(again.cv_results_["n_fits"], fitted.cv_results_["n_fits"])
    assert np.array_equal(again.cv_results_["mean_test_score"], fitted.cv_results_["mean_test_score"])


def test_candidates_that_fail_are_left_out_with_a_reason(iris):
    search = SelectionCV(DecisionTreeClassifier(), [{"max_depth": 2}, {"max_depth": -4}, {"max_depth": 3}], budget=20)
    with pytest.warns(FitFailedWarning, match="max_depth=-4 failed"):
        search.fit(*iris)
    assert search.cv_results_["verdict"][1] == "failing" and np.isnan(search.cv_results_["mean_test_score"][1])
    with pytest.raises(ValueError, match="max_depth"):
        clone(search).set_params(error_score="raise").fit(*iris)


def test_weights_and_groups_reach_the_folds(iris):
    class Weighed(ClassifierMixin, BaseEstimator):
        def __init__(self, c=1):
            self.c = c

        def fit(self, X, y, sample_weight=None):
            assert len(sample_weight) == len(X)
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.full(len(X), self.c)

    X, y = iris
    search = SelectionCV(Weighed(), {"c": [0, 1]}, budget=8).fit(X, y, sample_weight=np.arange(150.0))
    assert search.selection_.spent == 8


def test_candidates_that_are_pipelines_are_told_apart():
    pipes = [make_pipeline(StandardScaler(), PCA(5), Ridge(alpha=alpha)) for alpha in (0.1, 10.0)]
    names = list(named_candidates({"model": pipes}))
    assert names == [f"model=StandardScaler() + PCA(n_components=5) + Ridge(alpha={alpha})" for alpha in (0.1, 10.0)]


def test_regression_pipelines_and_samplers():
    X, y = make_regression(80, 5, noise=20.0, random_state=1)
    pipe = make_pipeline(StandardScaler(), Ridge())
    sampler = ParameterSampler({"ridge__alpha": [0.01, 1.0, 100.0, 1e4]}, 3, random_state=2)
    search = SelectionCV(pipe, sampler, scoring="neg_mean_absolute_error", budget=30).fit(X, y)
    assert search.best_score_ < 0.0 and search.best_params_["ridge__alpha"] < 1e4


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"candidates": {"max_depth": [1]}}, "two or more"),
        ({"candidates": "max_depth"}, "a grid such as"),
        ({"candidates": [1, 2]}, "not a dict"),
        ({"cv": 1}, "number of folds"),
        ({"random_state": None}, "whole number"),
        ({"budget": 2}, "write 4 or more"),
        ({"scoring": "beauty"}, "beauty"),
        ({"alike": True, "cv": KFold(3)}, "cv as a number of folds"),
    ],
)
def test_wrong_settings_are_refused_in_words(iris, changes, why):
    search = SelectionCV(DecisionTreeClassifier(), DEPTHS).set_params(**changes)
    with pytest.raises((ValueError, TypeError), match=why):
        search.fit(*iris)


def test_what_is_not_fitted_says_so(iris):
    search = SelectionCV(DecisionTreeClassifier(), DEPTHS)
    assert is_classifier(search) and not hasattr(search, "transform")
    with pytest.raises(NotFittedError):
        search.predict(iris[0])
    with pytest.raises(AttributeError, match="refit=True"):
        clone(search).set_params(refit=False, budget=12).fit(*iris).predict(iris[0])


GRIDS = {"max_depth": [2, 3], "C": [0.1, 1.0], "alpha": [0.1, 1.0]}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", times([DecisionTreeClassifier(random_state=0)], [LogisticRegression(), Ridge()]))
def test_it_keeps_the_contract_of_scikit_learn(estimator):
    grid = next({name: values} for name, values in GRIDS.items() if name in estimator.get_params())
    check_estimator(SelectionCV(estimator, grid, cv=2, budget=4, error_score="raise"))
