"""What tests share that is no twin: campaigns, pools, random topics, checks."""
