-- name: itself
-- Which tests are some functions of Python?
SELECT t.id FROM json_each(:functions) AS w CROSS JOIN tests AS t ON t.function_id = w.value

-- name: all_variables
-- Are all of some functions of C++ variables?
SELECT 1 WHERE NOT EXISTS (
    SELECT 1 FROM functions WHERE id IN (SELECT value FROM json_each(:functions)) AND kind <> 'variable')
