-- name: class_decorators
-- What decorates these classes?
SELECT id, decorators FROM python_classes WHERE id IN (SELECT value FROM json_each(:classes)) AND decorators <> ''

-- name: registered_at
-- Which of the classes that this one derives from does what decorates it call a method of?
WITH RECURSIVE above (id) AS (
    SELECT base_id FROM python_bases WHERE class_id = :class AND base_id IS NOT NULL
    UNION SELECT b.base_id FROM above AS c JOIN python_bases AS b ON b.class_id = c.id WHERE b.base_id IS NOT NULL
),
makers (id) AS (
    SELECT p.id FROM python_functions AS p WHERE p.name = :decorator
    UNION SELECT p.id FROM python_classes AS d JOIN python_functions AS p ON p.class_id = d.id WHERE d.last = :decorator COLLATE NOCASE
)
SELECT DISTINCT q.class_id AS id FROM makers AS k
CROSS JOIN python_calls AS c ON c.caller_id = k.id
CROSS JOIN python_resolutions AS r ON r.target_id = c.target_id
CROSS JOIN python_functions AS q ON q.id = r.function_id
WHERE q.class_id IN (SELECT id FROM above)

-- name: bodies_asking
-- Which tests, and which functions that they are made of, have a name in their bodies and use a class that derives from
-- one of these, by any number of steps?
WITH RECURSIVE heirs (id) AS (
    SELECT value FROM json_each(:owners)
    UNION SELECT b.class_id FROM heirs AS h JOIN python_bases AS b ON b.base_id = h.id
)
SELECT b.rowid AS function_id, m.name || '.' || p.name AS name, t.id AS test_id, t.operators
FROM tests_bodies AS b
CROSS JOIN python_functions AS p ON p.id = b.rowid
CROSS JOIN python_modules AS m ON m.id = p.module_id
LEFT JOIN tests AS t ON t.function_id = p.id
WHERE tests_bodies MATCH :name AND EXISTS (
    SELECT 1 FROM python_calls AS c CROSS JOIN python_resolutions AS r ON r.target_id = c.target_id
    WHERE c.caller_id = b.rowid AND r.class_id IN (SELECT id FROM heirs))
ORDER BY b.rowid, t.id
