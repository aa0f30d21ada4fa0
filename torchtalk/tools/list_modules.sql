-- name: list
-- Classes of the tree's packages by category and text, in the order of the documentation.
WITH fits AS (
    SELECT
        c.id, c.name, c.public_name, c.doc, c.line, c.category, c.section_position, f.path,
        coalesce(c.section,
                 rtrim(rtrim(coalesce(c.public_name, c.name), replace(coalesce(c.public_name, c.name), '.', '')), '.'))
            AS title,
        c.section IS NULL AS is_undocumented,
        c.public_name IS NULL AS is_private
    FROM python_classes AS c
    JOIN python_modules AS m ON m.id = c.module_id
    JOIN source_files AS f ON f.id = m.file_id
    WHERE c.category IN (SELECT value FROM json_each(:categories))
      AND (f.path LIKE 'torch/%' OR f.path LIKE 'functorch/%')
)
SELECT *, count(*) OVER () AS total, count(*) OVER (PARTITION BY title) AS in_group
FROM fits
WHERE :text = '' OR instr(lower(title), :text) OR instr(lower(name), :text)
   OR instr(lower(coalesce(public_name, '')), :text)
ORDER BY category <> 'nn', category <> 'optim', is_undocumented, section_position, is_private,
    -- An installed package has no documentation: what most people mean comes first there.
    title <> CASE category WHEN 'nn' THEN 'torch.nn' WHEN 'optim' THEN 'torch.optim' ELSE 'torch.optim.lr_scheduler' END,
    title, coalesce(public_name, name), id
LIMIT :limit OFFSET :offset

-- name: listed
-- Which of some names does the list have?
SELECT w.value AS name FROM json_each(:names) AS w
WHERE (w.value LIKE 'torch.%' OR w.value LIKE 'functorch.%') AND EXISTS (
    SELECT 1 FROM python_classes AS c
    WHERE w.value IN (c.name, c.public_name) AND c.category IN (SELECT value FROM json_each(:categories)))

-- name: bases
SELECT name FROM python_bases WHERE class_id = :id ORDER BY position

-- name: sections
-- How many classes does each heading have, over all pages?
WITH fits AS (
    SELECT
        c.category, c.section_position, c.name, c.public_name,
        coalesce(c.section,
                 rtrim(rtrim(coalesce(c.public_name, c.name), replace(coalesce(c.public_name, c.name), '.', '')), '.'))
            AS title,
        c.section IS NULL AS is_undocumented
    FROM python_classes AS c
    JOIN python_modules AS m ON m.id = c.module_id
    JOIN source_files AS f ON f.id = m.file_id
    WHERE c.category IN (SELECT value FROM json_each(:categories))
      AND (f.path LIKE 'torch/%' OR f.path LIKE 'functorch/%')
)
SELECT title, count(*) AS total
FROM fits
WHERE :text = '' OR instr(lower(title), :text) OR instr(lower(name), :text)
   OR instr(lower(coalesce(public_name, '')), :text)
GROUP BY title
ORDER BY min(category <> 'nn'), min(category <> 'optim'), min(is_undocumented),
    min(section_position),
    min(title <> CASE category WHEN 'nn' THEN 'torch.nn' WHEN 'optim' THEN 'torch.optim' ELSE 'torch.optim.lr_scheduler' END), title
