-- name: imported_as
-- Which modules, or classes of another name, do files of the tree import under this one, most of them first?
-- `import torch.distributed as dist`, `from torch.distributed.fsdp import FullyShardedDataParallel as FSDP`
SELECT i.name, m.id IS NOT NULL AS is_module
FROM (SELECT replace(target, ':', '.') AS name, count(*) AS files FROM python_bindings
      WHERE name = :name AND scope = '' AND code IN (0, 3) GROUP BY 1 HAVING count(*) >= 3) AS i
LEFT JOIN python_modules AS m ON m.name = i.name
WHERE i.name <> :name
  AND (m.id IS NOT NULL
       OR substr(i.name, -length(:name) - 1) <> '.' || :name
          AND EXISTS (SELECT 1 FROM python_classes AS c WHERE c.name = i.name OR c.public_name = i.name))
ORDER BY i.files DESC, i.name LIMIT 3
