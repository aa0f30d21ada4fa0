-- name: itself
-- Which tests are some functions of Python?
SELECT t.id FROM json_each(:functions) AS w CROSS JOIN tests AS t ON t.function_id = w.value
