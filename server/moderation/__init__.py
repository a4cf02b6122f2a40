"""What operators see and do: suspicions, voided results, barred players."""
