-- Under which heading does the documentation list a class? By its public name, or its own.

UPDATE python_classes
SET (section, section_position) = (
    -- Pages in the order of their paths.
    SELECT d.section, d.position + 10000 * (
        SELECT count(DISTINCT p.file_id) FROM documented_names AS p WHERE p.file_id <= d.file_id)
    FROM documented_names AS d
    WHERE d.name IN (python_classes.public_name, python_classes.name) AND d.section <> ''
    ORDER BY d.file_id, d.position
    LIMIT 1)
WHERE public_name IN (SELECT name FROM documented_names)
   OR name IN (SELECT name FROM documented_names);
