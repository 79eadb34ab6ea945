"""Gradient boosting written down plainly in NumPy, row by row and cut by cut, to compare the core with."""

from __future__ import annotations

import numpy as np


class Node:
    """A node of a tree: its rows, and where it was split the gain, the column and the codes of the first branch."""

    def __init__(self, rows):
        self.rows, self.split, self.children = rows, None, []


class Booster:
    """Binary boosting of codes with missing values as the greatest code of a column; no columns or rows are drawn."""

    def __init__(self, codes, n_bins, is_nominal, options):
        self.codes, self.n_bins, self.is_nominal, self.options = codes, n_bins, is_nominal, options

    def fit(self, y, grow, stop):
        """Return the log-odds of all rows at the best round."""
        scores = np.full(len(y), np.log(y[grow].sum() / (1 - y[grow]).sum()))
        best, least, since = scores.copy(), loss(scores[stop], y[stop]), 0
        for _ in range(self.options.max_rounds):
            p = 1 / (1 + np.exp(-scores))
            scores = scores + self.tree(p - y, p * (1 - p), grow)
            since += 1
            if loss(scores[stop], y[stop]) < least:
                best, least, since = scores.copy(), loss(scores[stop], y[stop]), 0
            if since == self.options.patience:
                break
        return best

    def tree(self, gradient, hessian, grow):
        """Return the amount that a tree adds to the score of every row."""
        self.gradient, self.hessian = gradient, hessian
        leaves = [self.node(np.flatnonzero(grow))]
        root = leaves[0]
        while len(leaves) < self.options.max_leaves:
            leaf = max(leaves, key=lambda each: each.split[0] if each.split else 0.0)
            if leaf.split is None:
                break
            leaf.children = [self.node(leaf.rows[each]) for each in self.branches(leaf.split, leaf.rows)]
            leaves.remove(leaf)
            leaves += leaf.children
        added = np.empty(len(gradient))
        self.write(root, np.arange(len(gradient)), added)
        return added

    def write(self, node, rows, added):
        if not node.children:
            g, h = self.sums(node.rows)
            added[rows] = -self.options.rate * g / (h + self.options.l2)
            return
        for child, each in zip(node.children, self.branches(node.split, rows), strict=True):
            self.write(child, rows[each], added)

    def branches(self, split, rows):
        first = np.isin(self.codes[rows, split[1]], list(split[2]))
        return first, ~first

    def sums(self, rows):
        return self.gradient[rows].sum(), self.hessian[rows].sum()

    def node(self, rows):
        node = Node(rows)
        if len(rows) >= 2 * self.options.min_leaf:
            found = [split for column in range(self.codes.shape[1]) for split in self.splits(rows, column)]
            node.split = max(found, key=lambda split: round(split[0], 9), default=None)
            if node.split is not None and node.split[0] <= 1e-9:
                node.split = None
        return node

    def splits(self, rows, column):
        """Yield the gain and the first branch of every test of a column that is allowed."""
        codes = self.codes[rows, column]
        extra = self.options.category_l2 if self.is_nominal[column] else 0.0
        firsts = self.sets(rows, column) if self.is_nominal[column] else self.cuts(rows, column)
        g, h = self.sums(rows)
        least = (1 - 1e-9) * max(self.options.min_hessian, self.options.min_leaf * h / len(rows))
        for first in firsts:
            inside = np.isin(codes, list(first))
            left, right = self.sums(rows[inside]), self.sums(rows[~inside])
            if min(left[1], right[1]) >= least:
                l2 = self.options.l2 + extra
                score = left[0] ** 2 / (left[1] + l2) + right[0] ** 2 / (right[1] + l2)
                yield score - g**2 / (h + self.options.l2), column, first

    def sets(self, rows, column):
        """Return the prefixes, from either end, of the categories in the order of their smoothed gradients."""
        codes = self.codes[rows, column]
        least = (1 - 1e-9) * self.options.category_support * self.sums(rows)[1] / len(rows)
        present = [code for code in range(self.n_bins[column] + 1) if (codes == code).any()]
        sums = {code: self.sums(rows[codes == code]) for code in present}
        kept = [code for code in present if sums[code][1] >= least]
        order = sorted(kept, key=lambda code: sums[code][0] / (sums[code][1] + self.options.category_smoothing))
        longest = len(order) - (len(order) == len(present))
        return [frozenset(each[:n]) for each in (order, order[::-1]) for n in range(1, longest + 1)]

    def cuts(self, rows, column):
        """Return the first branches of the cuts of a numeric column, with missing values on either side."""
        codes, n_bins = self.codes[rows, column], self.n_bins[column]
        present = np.unique(codes)
        values = present[present < n_bins]
        found, with_missing = [], []
        for below, above in zip(values, [*values[1:], n_bins], strict=False):
            is_last = above == n_bins
            first = frozenset(range(n_bins if is_last else below + (above - 1 - below) // 2 + 1))
            if n_bins in present:
                found.append(first)
                with_missing += [] if is_last else [first | {n_bins}]
            elif not is_last:
                is_heavier = 2 * self.sums(rows[codes <= below])[1] >= self.sums(rows)[1]
                found.append(first | {n_bins} if is_heavier else first)
        return found + with_missing


def loss(scores, y):
    return np.logaddexp(0, np.where(y == 1, -scores, scores)).sum()
