"""One reader for each file format, each giving a `Parsed`: CSV, Parquet and Feather, ARFF, C4.5."""

__all__: list[str] = []
