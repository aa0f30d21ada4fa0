-- name: in_file
-- What does a file define, in its own order? Of Python the functions and classes of the module itself.
SELECT name, kind, min(line) AS line, count(*) AS places FROM (
    SELECT u.name,
           CASE WHEN EXISTS (SELECT 1 FROM kernels AS k WHERE k.name = u.name AND k.platform = 'cuda') THEN 'cuda'
                ELSE 'function' END AS kind,
           u.line
    FROM functions AS u WHERE u.file_id = :file AND u.kind NOT IN ('lambda', 'variable', 'field')
    UNION ALL
    SELECT k.name, k.platform, k.line FROM kernels AS k
    WHERE k.file_id = :file AND (k.platform = 'metal' AND k.is_definition OR k.platform = 'vulkan')
    UNION ALL
    SELECT coalesce(c.public_name, c.name), 'class', c.line
    FROM python_modules AS m JOIN python_classes AS c ON c.module_id = m.id WHERE m.file_id = :file
    UNION ALL
    SELECT m.name || '.' || p.name, 'python', p.line
    FROM python_modules AS m JOIN python_functions AS p ON p.module_id = m.id
    WHERE m.file_id = :file AND p.class_id IS NULL AND instr(p.name, '.') = 0 AND p.kind <> 'module'
)
GROUP BY name, kind ORDER BY min(line), name

-- name: folder
-- The files of a folder and those below it, the folder's own first.
SELECT id, path FROM source_files
WHERE path > :folder || '/' AND path < :folder || '0' AND kind <> 'external'
ORDER BY instr(substr(path, length(:folder) + 2), '/') > 0, path

-- name: module
-- The file of a module of Python.
SELECT f.id, f.path FROM python_modules AS m JOIN source_files AS f ON f.id = m.file_id WHERE m.name = :name

-- name: is_name
-- Is anything called so that is no module?
SELECT 1 FROM names WHERE name = :name LIMIT 1

-- name: in_module
-- What do users import from a module of Python, it and its submodules, besides what its own file defines?
SELECT name, kind FROM names AS n
WHERE name > :name || '.' AND name < :name || '/' AND kind IN ('class', 'api')
  AND NOT (kind = 'class' AND EXISTS (
      SELECT 1 FROM python_classes AS c WHERE c.name = n.name AND c.public_name <> c.name))
ORDER BY length(name) - length(replace(name, '.', '')), name

-- name: in_namespace
-- What does a namespace of C++ hold? What stands in no namespace below it comes first.
SELECT name, count(*) AS places FROM functions
WHERE name > :name || '::' AND name < :name || ':;' AND kind NOT IN ('lambda', 'variable', 'field')
GROUP BY name ORDER BY length(name) - length(replace(name, '::', '')), name

-- name: namespaces_ending
-- Which namespaces and classes of C++ are called so in full? None where it is the end of a function's name.
SELECT DISTINCT substr(name, 1, instr(name, '::' || :name || '::') + length(:name) + 1) AS name FROM functions
WHERE instr(name, '::' || :name || '::') AND kind NOT IN ('lambda', 'variable', 'field')
  AND NOT EXISTS (SELECT 1 FROM functions AS u
                  WHERE u.last = replace(:name, rtrim(:name, replace(:name, ':', '')), '') COLLATE NOCASE
                    AND substr(u.name, -length(:name) - 2) = '::' || :name)
LIMIT 2

-- name: called_alike
-- Which files are called so, with another ending or in another case?
SELECT path FROM source_files
WHERE '/' || path LIKE '%/' || replace(:stem, '_', '\_') || '.%' ESCAPE '\' ORDER BY length(path), path LIMIT 5
