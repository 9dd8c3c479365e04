"""Which scikit-learn model predicts these data best?  Cross-validation scores are noisy, and fits cost time.

SelectionCV gives more folds to the models that may still be the best, and says how sure the choice is.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from varde.sklearn import SelectionCV

models = [
    LogisticRegression(),
    SVC(),
    SVC(C=10, gamma=0.01),
    KNeighborsClassifier(),
    GaussianNB(),
    DecisionTreeClassifier(random_state=0),
    RandomForestClassifier(30, random_state=0),
]
X, y = load_breast_cancer(return_X_y=True)
pipeline = Pipeline([("scale", StandardScaler()), ("model", SVC())])
search = SelectionCV(pipeline, {"model": models}, budget=100)
search.fit(X, y)

print(search.selection_)
print(f"\n{search.best_params_['model']}: accuracy {search.best_score_:.3f} in cross-validation,")
print(f"best of these with probability {search.selection_.p_right:.0%}")
print("first predictions:", search.predict(X[:5]))
