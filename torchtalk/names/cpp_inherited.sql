-- name: cpp_bases
-- What does a C++ class derive from, as written?
SELECT DISTINCT b.base FROM cpp_classes AS c JOIN cpp_bases AS b ON b.class_id = c.id
WHERE c.name = :name ORDER BY c.id, b.position

-- name: holders
-- Which classes hold a module, by the macro that makes them?
SELECT DISTINCT text, scope FROM macro_uses WHERE name IN ('TORCH_MODULE', 'TORCH_MODULE_IMPL') ORDER BY id

-- name: has_function
-- Is there a C++ function of this full name?
SELECT 1 FROM functions WHERE name = :name AND kind NOT IN ('variable', 'field', 'stub') LIMIT 1

-- name: heirs
-- Which C++ classes derive from one of this last name, as written?
SELECT DISTINCT c.name FROM cpp_bases AS b JOIN cpp_classes AS c ON c.id = b.class_id
WHERE b.base = :last OR substr(b.base, -length(:last) - 2) = '::' || :last
ORDER BY c.name

-- name: overrides
-- Does a method of these say that it overrides another, or is one called by a class that it derives from?
SELECT 1 FROM functions AS u WHERE u.name IN (SELECT value FROM json_each(:names))
  AND (u.signature LIKE '%) %override%' OR u.signature LIKE '%) %final%' OR u.signature LIKE 'virtual %'
       OR EXISTS (SELECT 1 FROM calls AS c WHERE c.callee_id = u.id AND c.code & 7 = 2 /* virtual */)) LIMIT 1
