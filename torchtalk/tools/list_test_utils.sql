-- name: categories
-- Which categories of test utilities are there, and how much are they used?
SELECT category, count(*) AS utilities, sum(uses) AS uses FROM test_utilities
GROUP BY category ORDER BY
    category NOT IN ('decorators', 'assertions', 'opinfo', 'devices and dtypes'), uses DESC, category

-- name: examples
-- The most used utilities of a category.
SELECT last FROM test_utilities WHERE category = :category ORDER BY uses DESC, name LIMIT 3

-- name: utilities
-- The utilities of a category, or those with a word in their name, the most used first.
SELECT u.*, f.path, count(*) OVER () AS total FROM test_utilities AS u
JOIN source_files AS f ON f.id = u.file_id
WHERE CASE WHEN :word = '' THEN u.category = :category COLLATE NOCASE
           ELSE u.last = :word COLLATE NOCASE
             OR instr(' ' || split_words(u.last) || ' ', ' ' || lower(:word) || ' ') > 0 END
ORDER BY u.last <> :word, u.uses DESC, u.name
LIMIT :limit OFFSET :offset
