-- name: is_key
-- Is this a dispatch key, as torchgen calls its C++ namespace?
SELECT 1 FROM dispatch_keys WHERE lower(name) = :name LIMIT 1

-- name: is_python_module
-- Is this one that native_functions.yaml names?
SELECT 1 FROM operators WHERE python_module = :name LIMIT 1
