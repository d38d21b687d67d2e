"""Estimators with the interface of scikit-learn: trees, forests, rules and the presets ID3, C4.5 and CART."""
