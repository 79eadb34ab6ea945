"""Estimators of other packages in model files: scikit-learn, LightGBM and XGBoost, checked before they are used."""
