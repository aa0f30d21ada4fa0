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
