"""The cost-benefit analyser: what of the predictions a page needs to compute the profit of any selection."""
