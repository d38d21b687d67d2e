// Runs Weka's J48 on the random tables of compare_j48.py, and writes its trees and what they say of every row.
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import weka.classifiers.trees.J48;
import weka.core.Instances;
import weka.core.Utils;

public class CompareJ48 {
    public static void main(String[] folder) throws Exception {
        Path here = Paths.get(folder[0]);
        for (String line : Files.readAllLines(here.resolve("cases.txt"))) {
            String[] words = line.split(" ", 2);
            Instances rows;
            try (BufferedReader reader = Files.newBufferedReader(here.resolve(words[0] + ".arff"))) {
                rows = new Instances(reader);
            }
            rows.setClassIndex(rows.numAttributes() - 1);
            J48 tree = new J48();
            tree.setOptions(Utils.splitOptions(words.length > 1 ? words[1] : ""));
            tree.buildClassifier(rows);
            StringBuilder shares = new StringBuilder();
            for (int i = 0; i < rows.numInstances(); ++i) {
                for (double share : tree.distributionForInstance(rows.instance(i))) shares.append(share).append(' ');
                shares.append('\n');
            }
            Files.writeString(here.resolve(words[0] + "_tree.txt"), tree.toString());
            Files.writeString(here.resolve(words[0] + "_shares.txt"), shares);
        }
    }
}
