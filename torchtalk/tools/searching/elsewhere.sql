-- name: modules
-- Where does a module of Python stand?
SELECT s.path, 1 AS line FROM python_modules AS m JOIN source_files AS s ON s.id = m.file_id WHERE m.name = :name

-- name: classes
-- Where do C++ classes of a name stand?
SELECT s.path, c.line FROM cpp_classes AS c JOIN source_files AS s ON s.id = c.file_id
WHERE c.name = :name ORDER BY s.path, c.line

-- name: methods
-- Which functions of Python have a text in the last part of their names?
SELECT m.name || '.' || p.name AS name, s.path, p.line FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id JOIN source_files AS s ON s.id = m.file_id
WHERE p.name LIKE :part ESCAPE '\' AND p.kind NOT IN ('module', 'overload')
ORDER BY s.path GLOB 'test/*', length(p.name), name, p.line LIMIT :most

-- name: gtests
-- Where do tests in C++ of a name stand, of one suite or of all?
SELECT coalesce(c.name || '.', '') || t.name AS name, s.path, t.line FROM tests AS t
JOIN source_files AS s ON s.id = t.file_id LEFT JOIN test_classes AS c ON c.id = t.class_id
WHERE t.name = :name AND t.kind = 'gtest' AND (:suite = '' OR c.name = :suite) ORDER BY s.path, t.line
