-- name: bases
-- Which operators' names begin like this? Public ones first.
SELECT DISTINCT base AS value FROM operators
WHERE base >= :prefix AND base < :end ORDER BY base GLOB '_*', base LIMIT :limit

-- name: names
-- Which overloads' full names begin like this?
SELECT name AS value FROM operators
WHERE name >= :prefix AND name < :end ORDER BY name LIMIT :limit
