-- name: users_of_class
-- Which functions have the class of this method, or one that derives from it, in hand: they name it, or call a method
-- that one of these has? Which of them are tests, or helpers of tests, in the tree's test folder?
WITH RECURSIVE heirs(id) AS (
    SELECT class_id FROM python_functions WHERE id = :id AND class_id IS NOT NULL
    UNION SELECT b.class_id FROM heirs AS h CROSS JOIN python_bases AS b ON b.base_id = h.id
    LIMIT 60
), uses(target_id) AS (
    SELECT r.target_id FROM heirs AS h CROSS JOIN python_resolutions AS r ON r.class_id = h.id
    UNION SELECT r.target_id FROM heirs AS h
    CROSS JOIN python_functions AS p ON p.class_id = h.id
    CROSS JOIN python_resolutions AS r ON r.function_id = p.id
)
SELECT DISTINCT c.caller_id AS id, p.class_id, t.id IS NOT NULL AS is_test, m.name LIKE 'test.%' AS is_of_tests
FROM uses AS u
CROSS JOIN python_calls AS c ON c.target_id = u.target_id
CROSS JOIN python_functions AS p ON p.id = c.caller_id
CROSS JOIN python_modules AS m ON m.id = p.module_id
LEFT JOIN tests AS t ON t.function_id = p.id
-- Asked of all at once, so that SQLite makes no filter of a whole table for one of them.
WHERE CASE WHEN t.id IS NULL THEN p.kind <> 'module' AND c.kind <> 7 ELSE c.kind <> 7 END

-- name: callers_in_tests
-- Which functions call some functions?
SELECT DISTINCT c.caller_id AS id FROM json_each(:functions) AS w
CROSS JOIN python_resolutions AS r ON r.function_id = w.value
CROSS JOIN python_calls AS c ON c.target_id = r.target_id

-- name: function_of_test
-- Which function is a test, and in which class does it stand?
SELECT p.id, p.class_id FROM tests AS t JOIN python_functions AS p ON p.id = t.function_id WHERE t.id = :test

-- name: bodies_with
-- Which tests, and helpers of tests, have a name in their bodies?
SELECT rowid AS id FROM tests_bodies WHERE tests_bodies MATCH :name
