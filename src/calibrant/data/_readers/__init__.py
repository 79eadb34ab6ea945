"""One reader for each file format, each returning a `ParsedFile`: CSV, Parquet and Feather, ARFF, C4.5."""
