-- name: itself
-- Which tests are some functions of Python?
SELECT t.id FROM json_each(:functions) AS w CROSS JOIN tests AS t ON t.function_id = w.value

-- name: all_variables
-- Are all of some functions of C++ variables?
SELECT 1 WHERE NOT EXISTS (
    SELECT 1 FROM functions WHERE id IN (SELECT value FROM json_each(:functions)) AND kind <> 'variable')

-- name: homes
-- In which files do some functions and classes of Python stand?
SELECT DISTINCT s.path FROM (
    SELECT p.module_id FROM json_each(:functions) AS w CROSS JOIN python_functions AS p ON p.id = w.value
    UNION
    SELECT c.module_id FROM json_each(:classes) AS w CROSS JOIN python_classes AS c ON c.id = w.value) AS x
JOIN python_modules AS m ON m.id = x.module_id
JOIN source_files AS s ON s.id = m.file_id

-- name: files
-- Which of some tests stand in which file?
SELECT s.path, group_concat(t.id) AS ids FROM json_each(:tests) AS w
CROSS JOIN tests AS t ON t.id = w.value CROSS JOIN source_files AS s ON s.id = t.file_id GROUP BY s.id
