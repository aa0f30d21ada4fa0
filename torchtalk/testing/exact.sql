-- name: names
-- The tests of a file, with their classes.
SELECT DISTINCT c.name AS class, t.name FROM tests AS t LEFT JOIN test_classes AS c ON c.id = t.class_id
WHERE t.file_id = :file ORDER BY t.id
