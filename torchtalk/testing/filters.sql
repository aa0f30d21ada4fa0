-- name: devices
-- For which devices do files make their tests?
SELECT f.path, i.arguments FROM test_instantiations AS i JOIN source_files AS f ON f.id = i.file_id
WHERE i.kind = 'devices' ORDER BY i.id

-- name: names
-- What do tests call all entries, in full (torch/testing/_internal/opinfo/core.py, `OpInfo.formatted_name`)?
SELECT id, replace(name || CASE variant WHEN '' THEN '' ELSE '.' || variant END, '.', '_') AS called
FROM opinfos WHERE name IS NOT NULL ORDER BY id

-- name: lists
-- Which lists do a file's tests run over, and do their names have more than device and type behind the entry's? What
-- stands below `@ops` has a part there (torch/testing/_internal/common_utils.py, `compose_parametrize_fns`), and the
-- mode that a module is in (common_modules.py, `modules._parametrize_test`). What stands above has one before it.
SELECT l.list_id, t.name AS test, l.decorator = 'modules' AS is_module,
       t.decorators LIKE '%parametrize(%' || l.decorator || '(%'
           OR t.decorators LIKE '%layouts(%' || l.decorator || '(%' AS is_apart,
       t.decorators LIKE '%' || l.decorator || '(%parametrize(%' AS is_longer
FROM source_files AS f JOIN tests AS t ON t.file_id = f.id JOIN test_lists AS l ON l.test_id = t.id
WHERE f.path = :path ORDER BY t.id, l.list_id

-- name: held
-- Which lists hold these entries?
SELECT opinfo_id, list_id FROM opinfo_list_members WHERE opinfo_id IN (SELECT value FROM json_each(:entries))

-- name: tests
-- Has a test of a file one of these words in its name?
SELECT 1 FROM source_files AS f JOIN tests AS t ON t.file_id = f.id JOIN json_each(:words) AS w
WHERE f.path = :path AND instr(t.name || '_', w.value) LIMIT 1
