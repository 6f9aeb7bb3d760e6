resource "aws_s3_bucket" "reports" {
  bucket = "${var.name}-reports"
}

resource "aws_s3_bucket_acl" "reports" {
  bucket = aws_s3_bucket.reports.id
  acl    = "private"
}

resource "aws_db_instance" "orders" {
  identifier             = "${var.name}-orders"
  engine                 = "postgres"
  instance_class         = "db.t4g.small"
  allocated_storage      = 20
  username               = "orders"
  password               = var.database_password
  storage_encrypted      = true
  publicly_accessible    = false
  vpc_security_group_ids = [aws_security_group.service.id]
}

data "aws_iam_policy_document" "reports" {
  statement {
    actions   = ["s3:GetObject", "s3:PutObject"]
    resources = ["${aws_s3_bucket.reports.arn}/*"]
  }
}
