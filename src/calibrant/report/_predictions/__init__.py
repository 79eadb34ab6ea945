"""The sections of a report on predictions; to add one, write it and a line in ``section_list.py``."""
