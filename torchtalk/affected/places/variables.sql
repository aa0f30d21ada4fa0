-- name: variables_called
-- Which variables of modules are called so? Those that a call makes or that are another's name, by their index; what is
-- given a plain value is known by who imports it.
SELECT name FROM (
    SELECT m.name || '.' || b.name AS name
    FROM python_bindings AS b JOIN python_modules AS m ON m.id = b.module_id
    WHERE b.name = :name AND b.scope = '' AND b.kind IN ('alias', 'call')
    UNION
    SELECT replace(b.target, ':', '.') FROM python_bindings AS b
    WHERE b.kind = 'from' AND substr(b.target, -length(:name) - 1) = ':' || :name
)
ORDER BY name NOT GLOB 'torch*', name
LIMIT :most

-- name: is_bound_type
-- Does C++ bind a type by this name? It has members, or what is bound is no function.
SELECT 1 FROM v_bindings AS b
WHERE b.python_name = :name AND (
    EXISTS (SELECT 1 FROM v_bindings AS m WHERE m.python_name GLOB :name || '.*')
    OR b.kind = 'pybind' AND b.cpp_name NOT LIKE '%::lambda'
       AND NOT EXISTS (SELECT 1 FROM functions AS f WHERE f.name = b.cpp_name))
LIMIT 1
