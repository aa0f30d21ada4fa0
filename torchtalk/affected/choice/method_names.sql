-- name: same_above
-- The methods of a method's name that its class and those that it derives from have, each with its class.
WITH RECURSIVE above (id) AS (
    SELECT class_id FROM python_functions WHERE id = :id AND class_id IS NOT NULL
    UNION SELECT b.base_id FROM above AS a CROSS JOIN python_bases AS b ON b.class_id = a.id
    WHERE unlikely(b.base_id IS NOT NULL)
)
SELECT a.id AS class_id, m.id, m.name FROM above AS a
LEFT JOIN python_functions AS m ON m.class_id = a.id AND m.name GLOB '*.' || :last

-- name: special_callers
-- Which special methods of some classes call one of some methods?
SELECT DISTINCT p.name
FROM json_each(:methods) AS w
CROSS JOIN python_resolutions AS r ON r.function_id = w.value
CROSS JOIN python_calls AS c ON c.target_id = r.target_id
CROSS JOIN python_functions AS p ON p.id = c.caller_id
WHERE unlikely(c.kind IN (0, 2)) AND p.class_id IN (SELECT value FROM json_each(:classes)) AND p.name GLOB '*.__*__'
ORDER BY p.name

-- name: bodies_with_any
-- Which of some functions have one of some names in their bodies?
SELECT rowid AS id FROM tests_bodies
WHERE tests_bodies MATCH :names AND rowid IN (SELECT value FROM json_each(:functions))

-- name: functions_of_tests
-- Which functions are the tests in Python of some names?
SELECT t.function_id AS id, f.path, t.name
FROM tests AS t CROSS JOIN source_files AS f ON f.id = t.file_id
WHERE t.name IN (SELECT value FROM json_each(:names)) AND t.function_id IS NOT NULL
