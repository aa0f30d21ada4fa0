-- name: categories
-- Which categories of test utilities are there, and how much are they used?
SELECT category, count(*) AS utilities, sum(uses) AS uses FROM test_utilities
GROUP BY category ORDER BY
    category NOT IN ('decorators', 'assertions', 'opinfo', 'devices and dtypes'), uses DESC, category

-- name: examples
-- The most used utilities of a category.
SELECT last FROM test_utilities WHERE category = :category ORDER BY uses DESC, name LIMIT 3

-- name: utilities
-- The utilities of a category, those that stand in a file, those with a word or all of several in their name, or
-- else with these in their name or description, the most used first.
SELECT u.*, f.path, count(*) OVER () AS total FROM test_utilities AS u
JOIN source_files AS f ON f.id = u.file_id
WHERE CASE :how WHEN 'category' THEN u.category = :text COLLATE NOCASE
                WHEN 'file' THEN f.path = :text OR substr(f.path, -length(:text) - 1) = '/' || :text
                WHEN 'name' THEN u.name = :text
                WHEN 'word' THEN u.last = :text COLLATE NOCASE
                    OR (instr(lower(u.last), lower(:text)) > 0
                        AND instr(' ' || split_words(u.last) || ' ', ' ' || lower(:text) || ' ') > 0)
                WHEN 'words' THEN NOT EXISTS (
                    SELECT 1 FROM json_each(CASE WHEN :how = 'words' THEN :text ELSE '[]' END) AS w
                    WHERE instr(' ' || split_words(u.last) || ' ', ' ' || w.value || ' ') = 0)
                WHEN 'told' THEN NOT EXISTS (
                    SELECT 1 FROM json_each(CASE WHEN :how = 'told' THEN :text ELSE '[]' END) AS w
                    WHERE instr(' ' || split_words(u.last) || ' ' || lower(coalesce(u.doc, '')), w.value) = 0)
                ELSE instr(u.category, lower(:text)) > 0 END
ORDER BY u.last <> :text, u.uses DESC, u.name
LIMIT :limit OFFSET :offset
