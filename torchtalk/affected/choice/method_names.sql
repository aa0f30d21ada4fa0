-- name: special_callers
-- Which special methods of its class, or of what that derives from, call a method?
WITH RECURSIVE above (id) AS (
    SELECT class_id FROM python_functions WHERE id = :id AND class_id IS NOT NULL
    UNION SELECT b.base_id FROM above AS a CROSS JOIN python_bases AS b ON b.class_id = a.id
    WHERE b.base_id IS NOT NULL
)
SELECT DISTINCT p.name
FROM python_functions AS own
CROSS JOIN above AS a
CROSS JOIN python_functions AS m ON m.class_id = a.id
 AND replace(m.name, rtrim(m.name, replace(m.name, '.', '')), '') = replace(own.name, rtrim(own.name, replace(own.name, '.', '')), '')
CROSS JOIN python_resolutions AS r ON r.function_id = m.id
CROSS JOIN python_calls AS c ON c.target_id = r.target_id AND c.kind IN (0, 2)
CROSS JOIN python_functions AS p ON p.id = c.caller_id AND p.class_id IN (SELECT id FROM above)
WHERE own.id = :id AND p.name GLOB '*.__*__'
ORDER BY p.name
