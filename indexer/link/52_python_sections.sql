-- Under which heading does the documentation list a class? By its public name, or its own.

UPDATE python_classes
SET (section, section_position) = (
    SELECT d.section, d.position + d.file_id * 10000
    FROM documented_names AS d
    WHERE d.name IN (python_classes.public_name, python_classes.name) AND d.section <> ''
    ORDER BY d.file_id, d.position
    LIMIT 1)
WHERE public_name IN (SELECT name FROM documented_names)
   OR name IN (SELECT name FROM documented_names);
