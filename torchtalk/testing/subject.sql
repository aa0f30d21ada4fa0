-- name: also_aten
-- Which of these names, without their namespaces, are aten's operators' as well?
SELECT DISTINCT base FROM operators
WHERE namespace = 'aten' AND base IN (SELECT value FROM json_each(:bases))

-- name: python_subjects
-- Which Python functions and classes have this name in public or in full?
SELECT 'class' AS kind, id, coalesce(public_name, name) AS name FROM python_classes
WHERE public_name = :name OR name = :name
UNION ALL
SELECT 'function', function_id, api FROM python_apis
WHERE api = :name AND function_id IS NOT NULL

-- name: class_named
-- Which public classes are called so, whatever their module?
SELECT id, public_name AS name FROM python_classes
WHERE last = :name COLLATE NOCASE AND public_name LIKE '%.' || :name ESCAPE '\' AND category <> 'test'
ORDER BY category = 'other', length(public_name), id LIMIT 5

-- name: cpp_functions
-- The definitions of a C++ function by its qualified name.
SELECT id FROM functions WHERE name = :name ORDER BY id LIMIT 50

-- name: cpp_members
-- The functions of a C++ class.
SELECT id FROM functions WHERE name >= :name || '::' AND name < :name || ':;' AND kind <> 'stub' ORDER BY id LIMIT 500

-- name: bound_functions
-- What is bound to a name in Python.
SELECT DISTINCT function_id AS id FROM bindings WHERE python_name = :name AND function_id IS NOT NULL ORDER BY 1

-- name: is_method
-- Is this the qualified name of a method?
SELECT 1 FROM functions WHERE name = :name AND kind = 'method' LIMIT 1
