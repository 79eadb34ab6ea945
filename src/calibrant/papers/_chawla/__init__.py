"""Chawla & Cieslak (2006): smoothed, bagged and pruned C4.5 trees on five unbalanced data sets."""
