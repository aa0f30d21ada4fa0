-- name: has_namesake
-- Has a function of another name the same last part?
SELECT EXISTS (
    SELECT 1 FROM functions
    WHERE last = :last COLLATE NOCASE AND last = :last AND name <> :name AND kind NOT IN ('variable', 'field', 'stub')
) AS yes

-- name: namesakes
-- Which functions have a name's last part, and can only their own files name them?
SELECT u.name, f.path, u.line,
       (f.path GLOB '*.c*' AND f.path NOT GLOB '*.cuh' OR f.path GLOB '*.mm')
       AND (u.is_anonymous OR u.signature GLOB 'static *') AS is_hidden
FROM functions AS u JOIN source_files AS f ON f.id = u.file_id
WHERE u.last = :last COLLATE NOCASE AND u.last = :last AND u.kind NOT IN ('variable', 'field', 'stub')

-- name: files_near
-- The files of some kinds that may name what stands in one: itself, those of its folder, of its part of the tree, the rest.
SELECT id, path, sha FROM source_files
WHERE kind IN (SELECT value FROM json_each(:kinds))
ORDER BY path <> :path, rtrim(path, replace(path, '/', '')) <> rtrim(:path, replace(:path, '/', '')),
         substr(path, 1, instr(path || '/', '/')) <> substr(:path, 1, instr(:path || '/', '/')), path

-- name: python_namesakes
-- Which functions and classes of Python, or what is bound in C++, have a name's last part, and are they methods?
SELECT m.name || '.' || p.name AS name, f.path, p.line, p.class_id IS NOT NULL AS is_method
FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE p.name = :last OR p.name GLOB '*.' || :last
UNION ALL
SELECT coalesce(c.public_name, c.name), f.path, c.line, 0
FROM python_classes AS c
JOIN python_modules AS m ON m.id = c.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE c.last = :last COLLATE NOCASE AND c.last = :last
UNION ALL
SELECT name, NULL, NULL, 1 FROM python_natives WHERE name GLOB '*.' || :last AND name NOT GLOB 'torch.ops.*'

-- name: imported_as
-- What does the module of a Python function import under the function's name?
SELECT b.target, b.line
FROM python_modules AS m JOIN python_bindings AS b ON b.module_id = m.id AND b.scope = '' AND b.kind = 'from'
WHERE m.name = rtrim(rtrim(:name, replace(:name, '.', '')), '.') AND b.name = replace(:name, m.name || '.', '')
ORDER BY b.line LIMIT 1

-- name: samples_made
-- Which OpInfos and their like have their samples made by a function?
SELECT class, coalesce(name, subject) AS name FROM opinfos
WHERE sample_inputs = :name AND coalesce(name, subject) IS NOT NULL
GROUP BY 1, 2 ORDER BY min(id)
