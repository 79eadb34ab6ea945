"""The store of studies: SQLite for one host, PostgreSQL for several, both through SQLAlchemy."""
