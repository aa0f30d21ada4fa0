-- name: defined_elsewhere
-- Which functions of some names in full stand in other files of the tree than one? What a source file has for itself no
-- header declares.
SELECT u.id, u.name, u.signature, u.file_id, f.path FROM json_each(:names) AS n
JOIN functions AS u ON u.name = n.value JOIN source_files AS f ON f.id = u.file_id
WHERE u.file_id <> :file AND f.kind <> 'external' AND u.kind NOT IN ('stub', 'variable', 'field') AND NOT u.is_anonymous ORDER BY u.id

-- name: classes_ending
-- Which C++ classes have a name, in full or behind namespaces, and where do they stand?
SELECT c.name, c.line, c.end_line, f.id, f.path, f.sha
FROM cpp_classes AS c JOIN source_files AS f ON f.id = c.file_id
WHERE c.name = :name OR c.name GLOB '*::' || :name
ORDER BY c.name <> :name, length(c.name), c.id

-- name: unused_values
-- Where do those of some functions stand that are variables or data members which nothing is seen to use?
SELECT u.id, f.path, u.line FROM json_each(:ids) AS n JOIN functions AS u ON u.id = n.value
JOIN source_files AS f ON f.id = u.file_id
WHERE u.kind IN ('variable', 'field') AND NOT EXISTS (SELECT 1 FROM calls AS c WHERE c.callee_id = u.id)

-- name: classes_in
-- Which files have C++ classes of these names?
SELECT c.name, c.file_id FROM json_each(:names) AS n JOIN cpp_classes AS c ON c.name = n.value
