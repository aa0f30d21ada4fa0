-- name: methods
-- Methods, and how often the text uses each where it is a utility of tests.
SELECT f.name, u.uses
FROM python_functions AS f
JOIN python_modules AS m ON m.id = f.module_id
LEFT JOIN test_utilities AS u ON u.file_id = m.file_id AND u.line = f.line AND u.name = m.name || '.' || f.name
WHERE f.id IN (SELECT value FROM json_each(:functions)) AND f.class_id IS NOT NULL
