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
