"""Named data sets: their catalog, the tasks of the papers, and the sources they are loaded from."""
