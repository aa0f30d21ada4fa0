-- name: all
-- What are the methods of classes called, each with its class? It stands in the index of the names.
SELECT name FROM python_functions WHERE name GLOB '*.*' ORDER BY name
